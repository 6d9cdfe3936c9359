/** Tabler's outlines (MIT), drawn at 16 px. */
const PATHS = {
  alert: ["M3 12a9 9 0 1 0 18 0a9 9 0 0 0 -18 0", "M12 8v4", "M12 16h.01"],
  plus: ["M12 5l0 14", "M5 12l14 0"],
  remove: ["M18 6l-12 12", "M6 6l12 12"],
  back: ["M9 14l-4 -4l4 -4", "M5 10h11a4 4 0 1 1 0 8h-1"],
} as const;

export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
      {PATHS[name].map((path) => (
        <path key={path} d={path} />
      ))}
    </svg>
  );
}
