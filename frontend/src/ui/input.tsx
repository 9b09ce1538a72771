import type { ComponentProps } from "react";
import { cx } from "./cx";

/** A line of text in a frame. */
export function Input({ className, ...rest }: ComponentProps<"input">) {
  return <input className={cx("field", className)} {...rest} />;
}

/** Several lines of text in the same frame. */
export function TextArea({ className, ...rest }: ComponentProps<"textarea">) {
  return <textarea className={cx("field", className)} {...rest} />;
}

/** A choice from a list in the same frame. */
export function Select({ className, ...rest }: ComponentProps<"select">) {
  return <select className={cx("field", className)} {...rest} />;
}
