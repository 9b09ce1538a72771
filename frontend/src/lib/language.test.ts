import { expect, test } from "vitest";
import { repairLanguage } from "./language";

test("a language that Intl refuses becomes English, any other stays", () => {
  const speaks = (language: string) => {
    const nav = { language, languages: [language] } as unknown as Navigator;
    repairLanguage(nav);
    expect(() => new Intl.NumberFormat(nav.language)).not.toThrow();
    return [nav.language, ...nav.languages];
  };
  expect(speaks("C")).toEqual(["en", "en"]);
  expect(speaks("de-AT")).toEqual(["de-AT", "de-AT"]);
});
