import type { Language } from "../../languages/languages.ts";
import { setSpeech, type Catalogue } from "../../languages/text.ts";

// The service has written the page in a language, and the texts of its form beside it (languages/server.ts). English has none.
const texts = document.getElementById("texts");
if (texts) {
  const catalogue = JSON.parse(texts.textContent) as Catalogue;
  setSpeech(() => ({ language: document.documentElement.lang as Language, catalogue }));
}
