import { promiseForms } from "./forms.ts";

promiseForms("react", "light");
