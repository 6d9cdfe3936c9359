import { HEADER } from "./page.ts";

/** Adds what Swagger UI's own page lacks: a width for phones, the header of the product, and the theme of the system. */
export const SWAGGER_UI_PAGE = `
document.head.append(Object.assign(document.createElement("meta"), { name: "viewport", content: "width=device-width, initial-scale=1" }));
const header = document.createElement("header");
header.className = "product";
header.innerHTML = ${JSON.stringify(HEADER)};
document.body.prepend(header);
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();

/** Gives names to controls that Swagger UI leaves without, and lets the keyboard reach what scrolls. */
const complete = () => {
  const each = (selector, change) => document.querySelectorAll(selector).forEach(change);
  each("textarea.body-param__text:not([aria-label])", (one) => (one.ariaLabel = "Request body"));
  each("tr[data-param-name] :is(input, select, textarea):not([aria-label])", (one) => (one.ariaLabel = one.closest("tr").dataset.paramName));
  each("pre.microlight:not([tabindex])", (one) => (one.tabIndex = 0));
  each(".close-modal:not([aria-label])", (one) => (one.ariaLabel = "Close"));
  each(".auth-btn-wrapper [aria-label]", (one) => one.removeAttribute("aria-label"));
};
new MutationObserver(complete).observe(document.body, { childList: true, subtree: true });
`;

/** Contrast, sizes and focus rings that Swagger UI's own style lacks, and the look of the product's header. */
export const SWAGGER_UI_STYLE = `
html body { margin: 0; background: #fff; }
html.dark-mode body { background: #1c2022; }
.product { display: flex; flex-wrap: wrap; gap: 4px 20px; align-items: baseline; max-width: 1460px; margin: 0 auto; padding: 20px; font: 14px/20px system-ui, sans-serif; border-bottom: 1px solid #E3E6EC; box-sizing: border-box; }
.product a { color: #545C6B; text-decoration: none; padding: 4px 0; }
.product a:hover { color: #14171F; text-decoration: underline; }
.product .name { color: #14171F; font-weight: 600; margin-right: auto; }
@media (max-width: 559px) { .product .name { flex-basis: 100%; } }
.dark-mode .product { border-color: #2B313F; }
.dark-mode .product a { color: #A9B1C1; }
.dark-mode .product a:hover, .dark-mode .product .name { color: #ECEFF5; }
:focus-visible { outline: 2px solid #4C45D6 !important; outline-offset: 2px; }
.dark-mode :focus-visible { outline-color: #9C97FF !important; }
/* There is one server: this one. */
.swagger-ui .schemes-server-container { display: none !important; }
.swagger-ui .info .title small, .swagger-ui .info .title small.version-stamp { background: #3B4151; }
.swagger-ui .opblock .opblock-summary-method { color: #fff; text-shadow: none; }
.swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1D5FA8; }
.swagger-ui .opblock.opblock-post .opblock-summary-method { background: #1E7A45; }
.swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #0F6E62; }
.swagger-ui .opblock.opblock-put .opblock-summary-method { background: #8A5A00; }
.swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #B3261E; }
html:not(.dark-mode) .swagger-ui .btn.authorize, html:not(.dark-mode) .swagger-ui .btn.authorize span { color: #1E7A45; border-color: #1E7A45; }
html:not(.dark-mode) .swagger-ui .btn.authorize svg { fill: #1E7A45; }
.swagger-ui .opblock .opblock-summary .view-line-link.copy-to-clipboard { width: 26px; margin: 0 4px; }
.swagger-ui .opblock .opblock-summary .view-line-link.copy-to-clipboard button { width: 26px; height: 26px; }
.swagger-ui .opblock-summary .authorization__btn { min-width: 40px; min-height: 26px; }
.dark-mode .swagger-ui .headers :is(td, th), .dark-mode .swagger-ui .headers-wrapper { color: #E4E6E6 !important; }
.dark-mode .swagger-ui .btn.cancel { color: #FF9A92 !important; border-color: #FF9A92 !important; }
.swagger-ui .btn.execute { background: #1D5FA8; border-color: #1D5FA8; color: #fff; }
html:not(.dark-mode) .swagger-ui .btn.cancel, html:not(.dark-mode) .swagger-ui .parameter__name.required span, html:not(.dark-mode) .swagger-ui .parameter__name.required::after { color: #B3261E; border-color: #B3261E; }
html:not(.dark-mode) .swagger-ui .parameter__in, html:not(.dark-mode) .swagger-ui .parameter__type { color: #545C6B; }
html:not(.dark-mode) .swagger-ui .response-control-media-type__accept-message { color: #0F5F2E; }
.swagger-ui .info .link, .swagger-ui .info .link .url { color: #1D5FA8; }
.dark-mode .swagger-ui .info .link, .dark-mode .swagger-ui .info .link .url { color: #9CC3F5; }
`;
