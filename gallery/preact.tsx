import { render } from "preact";
import { toPreact } from "../web/preact.ts";
import { drawPage } from "./page.tsx";

drawPage((form, root) => render(toPreact(form), root));
