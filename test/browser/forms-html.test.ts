import { promiseForms } from "./forms.ts";

promiseForms("html", "light");
