interface AgentPointerProps {
  /** The agent's action. It may contain text of the page, so it is only drawn as text. */
  words: string;
  x: number;
  y: number;
  /** Size of the picture, so that the text stays inside. */
  width: number;
}

/** The place of the agent's action, with a description. */
export function AgentPointer({ words, x, y, width }: AgentPointerProps) {
  const toLeft = x > width * 0.66;
  return (
    <div
      data-testid="agent-pointer"
      role="status"
      className="pointer-events-none absolute transition-[left,top] duration-200"
      style={{ left: x, top: y }}
    >
      <svg aria-hidden width="18" height="20" viewBox="0 0 18 20" className="absolute top-0 left-0 drop-shadow">
        <path
          d="M1.500 1 15.800 10.500l-6.500 1.200L6.100 18z"
          fill="var(--agent)"
          stroke="#fff"
          strokeWidth="1.400"
          strokeLinejoin="round"
        />
      </svg>
      <span
        className={
          "absolute top-5 max-w-64 truncate rounded-full bg-agent px-2 text-2xs font-medium " +
          `whitespace-nowrap text-bg ${toLeft ? "right-0" : "left-3"}`
        }
      >
        {words}
      </span>
    </div>
  );
}
