import alertCircle from "../../vendor/tabler-icons/alert-circle.svg";
import arrowBackUp from "../../vendor/tabler-icons/arrow-back-up.svg";
import plus from "../../vendor/tabler-icons/plus.svg";
import x from "../../vendor/tabler-icons/x.svg";

/** Tabler's drawings, at 16 px. */
const PATHS = { alert: alertCircle, plus, remove: x, back: arrowBackUp };

export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
      {PATHS[name].map((path) => (
        <path key={path} d={path} />
      ))}
    </svg>
  );
}
