declare module "*.css";

interface ImportMeta {
  /** Set by the build. */
  readonly env: {
    /** Built for a server. */
    readonly SSR: boolean;
  };
}
