declare module "*.css";

declare module "*.css?inline" {
  /** The style sheet as text. */
  const text: string;
  export default text;
}

declare module "*.svg" {
  /** The paths of a drawing in one colour. */
  const paths: readonly string[];
  export default paths;
}

interface ImportMeta {
  /** Set by the build. */
  readonly env: {
    /** Whether the build is for a server. */
    readonly SSR: boolean;
  };
}

declare module "*.css?inline" {
  /** The text of a style sheet, for a page that adopts it later. */
  const css: string;
  export default css;
}
