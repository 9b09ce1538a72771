import { asProblem } from "@/bridge/problem";
import type { AnswerInput, GrantView } from "@/bridge/types";
import type { AppCore } from "./core";

/** Answers requests and revokes grants. */
export class ApprovalActions {
  constructor(private readonly core: AppCore) {}

  async open(): Promise<void> {
    this.core.set({ approvalsOpen: true });
    await this.load();
  }

  async load(): Promise<void> {
    try {
      await this.core.sync.loadApprovals();
    } catch (reason) {
      this.core.notices.problem(asProblem(reason));
    }
  }

  async answer(answers: AnswerInput[]): Promise<void> {
    await this.core.ask("ApprovalAPI.Answer", answers);
    await this.load();
  }

  /** Revokes a grant; asks first if that ends programs. */
  revoke(grant: GrantView): void {
    const revoke = async () => {
      await this.core.ask("ApprovalAPI.Revoke", grant.goal_id, grant.request);
      await this.load();
    };
    if (!grant.held) {
      void revoke();
      return;
    }
    this.core.confirm({
      title: "Revoke and stop the goal's programs?",
      text:
        "The goal's programs may be using it. All its terminals, servers and running commands " +
        "stop. The agent is notified.",
      yes: "Revoke and stop programs",
      danger: true,
      run: revoke,
    });
  }
}
