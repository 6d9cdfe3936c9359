import { createRoot } from "react-dom/client";
import { drawPage } from "./page.tsx";

drawPage((form, root) => createRoot(root).render(form));
