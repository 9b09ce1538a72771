// A page for unit tests. The test environment has no layout: elements are visible unless they are marked hidden or
// inside of hidden ones, and boxes come from the attribute data-box="x,y,width,height".
import { vi } from "vitest";

const isHidden = (el: Element) => el.closest("[hidden], [style*='display: none']") !== null;

function boxOf(el: Element): DOMRect {
  const [x = 0, y = 0, width = 100, height = 20] = (el.getAttribute("data-box") ?? "")
    .split(",")
    .filter(Boolean)
    .map(Number);
  return { x, y, width, height, left: x, top: y, right: x + width, bottom: y + height, toJSON: () => null };
}

const getPropertyValue = Object.getOwnPropertyDescriptor(CSSStyleDeclaration.prototype, "getPropertyValue")?.value as (
  name: string,
) => string;

/** defineMissing adds what the test environment lacks of elements and windows. */
function defineMissing(): void {
  Object.defineProperties(HTMLOptionElement.prototype, {
    label: {
      configurable: true,
      get(this: HTMLOptionElement) {
        return this.getAttribute("label") ?? this.text;
      },
    },
  });
  Object.defineProperties(HTMLSelectElement.prototype, {
    size: {
      configurable: true,
      get(this: HTMLSelectElement) {
        return Number(this.getAttribute("size") ?? 0);
      },
    },
  });
  Object.defineProperty(window, "origin", { configurable: true, value: location.origin });
  vi.spyOn(CSSStyleDeclaration.prototype, "getPropertyValue").mockImplementation(function (
    this: CSSStyleDeclaration,
    name,
  ) {
    return name === "-webkit-text-security" ? "none" : getPropertyValue.call(this, name);
  });
  Element.prototype.checkVisibility = function (this: Element) {
    return this.isConnected && !isHidden(this);
  };
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as of querySelector
type Find = <T extends Element = HTMLElement>(selector: string) => T;

/** openPage shows a body, and returns a function that finds the first match of a selector in it. */
export function openPage(body: string): Find {
  document.body.innerHTML = body;
  defineMissing();
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockImplementation(function (this: Element) {
    return boxOf(this);
  });
  const find = (selector: string) => {
    const el = document.querySelector(selector);
    if (!el) throw new Error(`the page has no ${selector}`);
    return el;
  };
  return find as Find;
}
