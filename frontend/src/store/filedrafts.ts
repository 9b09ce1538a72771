import { asProblem } from "@/bridge/problem";
import type { FileDraft } from "@/bridge/types";
import type { AppCore } from "./core";

/** What users wrote in file panes and did not save. Go keeps it, so that it outlives the page. */
export class FileDrafts {
  /** The calls so far: each begins when the one before has ended. */
  private last: Promise<unknown> = Promise.resolve();
  private hasFailed = false;

  constructor(private readonly core: AppCore) {}

  /** Returns what a pane's user did not save. */
  get(pane: string): Promise<FileDraft | null> {
    return this.after(() => this.core.bridge.call("FileAPI.Draft", pane), null);
  }

  /** Keeps the text of a pane that was made of the version of its file. */
  keep(pane: string, text: string, version: string): void {
    void this.after(() => this.core.bridge.call("FileAPI.KeepDraft", pane, text, version), false);
  }

  drop(pane: string): void {
    void this.after(() => this.core.bridge.call("FileAPI.DropDraft", pane), false);
  }

  /** Saves the text of a pane over the version of its file, and returns the new one. The draft is dropped. */
  save(pane: string, text: string, version: string): Promise<string> {
    return this.next(() => this.core.bridge.call("FileAPI.Save", pane, text, version));
  }

  private next<T>(call: () => Promise<T>): Promise<T> {
    const answer = this.last.then(call);
    this.last = answer.catch(() => undefined);
    return answer;
  }

  /**
   * Reports the first of several failures: each pause of a user who types would report the same one. A closed pane has
   * no draft.
   */
  private async after<T, E>(call: () => Promise<T>, otherwise: E): Promise<T | E> {
    try {
      const answer = await this.next(call);
      this.hasFailed = false;
      return answer;
    } catch (reason) {
      const problem = asProblem(reason);
      if (problem.code === "not_found") return otherwise;
      if (!this.hasFailed) this.core.notices.problem(problem);
      this.hasFailed = true;
      return otherwise;
    }
  }
}
