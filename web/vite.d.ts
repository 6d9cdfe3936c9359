declare module "*.css";

declare module "*.svg" {
  /** What its paths draw, of a drawing in one colour. */
  const paths: readonly string[];
  export default paths;
}

interface ImportMeta {
  /** Set by the build. */
  readonly env: {
    /** Built for a server. */
    readonly SSR: boolean;
  };
}
