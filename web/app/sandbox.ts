/*
 * What the sandbox of a host keeps a page from doing, done in a way that it allows. The extension grants a page scripts, but
 * neither forms nor windows.
 */

/** In a sandbox without forms, a browser tells no page of a submit. Here it does, and the page never leaves. */
HTMLFormElement.prototype.requestSubmit = function () {
  this.dispatchEvent(new SubmitEvent("submit", { bubbles: true, cancelable: true }));
};

/** Takes over what a press does. @param openLink - called with the address in a link to another page */
export function keepWithin(openLink: (link: string) => void): void {
  addEventListener(
    "click",
    (event) => {
      const pressed = (event.target as Element).closest('[type=submit], a[href]:not([href^="#"])');
      if (pressed === null) return;
      event.preventDefault();
      if (pressed instanceof HTMLButtonElement) pressed.form?.requestSubmit();
      else openLink(pressed.getAttribute("href")!);
    },
    true,
  );
}
