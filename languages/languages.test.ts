import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptedLanguages, directionFor, isLocale, languageFor, languageOfReader } from "./languages.ts";
import { inLanguage, withSpeech } from "./server.ts";
import { as, currentLanguage, locale, pieces, plural, t } from "./text.ts";

const GERMAN = {
  "Hello {name}": "Hallo {name}",
  "{n} tasks": { one: "eine Aufgabe", other: "{n} Aufgaben" },
  "Open (verb)": "Öffnen",
  "Press {key} now": "Jetzt {key} drücken",
};

void test("a text is in the language of the page, and in English where it has no translation", () => {
  assert.equal(t("Hello {name}", { name: "Dana" }), "Hello Dana");
  assert.equal(plural(1, "{n} task", "{n} tasks"), "1 task");
  assert.equal(plural(1_200, "{n} task", "{n} tasks"), "1,200 tasks");
  assert.equal(as("verb", "Open"), "Open");
  withSpeech({ language: "de", catalogue: GERMAN, locale: "de-AT" }, inGerman);
});

function inGerman(): void {
  assert.equal(t("Hello {name}", { name: "Dana" }), "Hallo Dana");
  assert.equal(plural(1, "{n} task", "{n} tasks"), "eine Aufgabe");
  assert.equal(plural(1_200, "{n} task", "{n} tasks"), "1 200 Aufgaben");
  assert.equal(as("verb", "Open"), "Öffnen");
  assert.deepEqual(pieces("Press {key} now"), ["Jetzt ", "key", " drücken"]);
  assert.equal(t("Nothing known"), "Nothing known");
  assert.equal(t("constructor"), "constructor");
  // A value is a text of somebody else: nothing in it is replaced.
  assert.equal(t("Hello {name}", { name: "{name} $& {n}" }), "Hallo {name} $& {n}");
  assert.equal(locale(), "de-AT");
}

void test("what the service does for one reader is in their language to its end, beside others", async () => {
  const said: string[] = [];
  const say = async (language: "de" | "ja" | "en") =>
    inLanguage(language, async () => {
      await Promise.resolve();
      said.push(currentLanguage());
    });
  await Promise.all([say("de"), say("en"), say("ja")]);
  assert.deepEqual(said, ["de", "en", "ja"]);
});

void test("a reader gets the language that they chose, then what their browser asks for, then that of the task", () => {
  assert.equal(languageOfReader({ chosen: "fr", accepted: "de", locale: "ja" }), "fr");
  assert.equal(languageOfReader({ chosen: null, accepted: "it, de-CH;q=0.8, en;q=0.9", locale: "ja" }), "en");
  assert.equal(languageOfReader({ accepted: "it;q=1, *", locale: "ja-JP" }), "ja");
  assert.equal(languageOfReader({ accepted: undefined, locale: "ar" }), "en");
  assert.deepEqual(acceptedLanguages("de;q=0.5, fr;q=0, es , en;q=0.5,;;,<script>"), ["es", "de", "en"]);
  assert.equal(acceptedLanguages("x".repeat(100_000)).length, 0);
  assert.equal(languageFor(["DE_at"]), "de");
  assert.equal(languageFor(["constructor", "__proto__"]), null);
});

void test("a page runs as its language does, or else as its text begins", () => {
  for (const tag of ["ar", "ar-EG", "he-IL", "fa", "ur", "az-Arab"])
    assert.equal(directionFor(tag, "Hello"), "rtl", tag);
  for (const tag of ["de", "ja", "pt-BR", "ar-Latn", "arn"]) assert.equal(directionFor(tag, "مرحبا"), "ltr", tag);
  assert.equal(directionFor(null, "1. مرحبا"), "rtl");
  assert.equal(directionFor(null, "Approve שלום"), "ltr");
  assert.equal(directionFor(null, "42"), "ltr");
  assert.ok(isLocale("de-CH") && isLocale("zh-Hant-TW") && !isLocale("de_CH!") && !isLocale(""));
});
