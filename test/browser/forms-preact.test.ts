import { promiseForms } from "./forms.ts";

promiseForms("preact", "dark");
