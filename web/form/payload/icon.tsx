import type { ReactElement } from "react";

export const CHECK = "M5 12l5 5l10 -10";

export const CROSS = "M18 6l-12 12M6 6l12 12";

export const EYE_OFF =
  "M10.585 10.587a2 2 0 0 0 2.829 2.828M16.681 16.673a8.717 8.717 0 0 1 -4.681 1.327c-3.6 0 -6.6 -2 -9 -6c1.272 -2.12 2.712 -3.678 4.32 -4.674m2.86 -1.146a9.055 9.055 0 0 1 1.82 -.18c3.6 0 6.6 2 9 6c-.666 1.11 -1.379 2.067 -2.138 2.87M3 3l18 18";

export function Icon({ path }: { path: string }): ReactElement {
  return (
    <svg className="payload-icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}
