import { icon } from "@/ui/icons";

export { LockIcon, PlusIcon, WarnIcon } from "@/ui/icons";

export const EyeIcon = icon(
  <>
    <path d="M1.6 8S4 3.600 8 3.600 14.400 8 14.400 8 12 12.400 8 12.400 1.600 8 1.600 8" />
    <circle cx="8" cy="8" r="1.900" />
  </>,
);
export const PencilIcon = icon(<path d="m3 13 .700-3L10.600 3.100l2.300 2.300L6 12.300zM9.300 4.400l2.300 2.300" />);
export const MinusIcon = icon(<path d="M3.500 8h9" />);
export const UndoIcon = icon(<path d="M5.500 3 2.500 6l3 3M2.500 6h6.500a4 4 0 0 1 0 8H6" />);
export const RedoIcon = icon(<path d="m10.500 3 3 3-3 3M13.500 6H7a4 4 0 0 0 0 8h3" />);
