import { useEffect, useState } from "react";
import { t } from "../../../languages/text.ts";
import type { SafeImage } from "../../../form/payload/links.ts";

/** Returns whether scripts run, so that controls which need them can be shown. */
export function useScripts(): boolean {
  const [runs, setRuns] = useState(false);
  // oxlint-disable-next-line react/set-state-in-effect -- the first rendering must equal the server's, without scripts
  useEffect(() => setRuns(true), []);
  return runs;
}

/** A picture, small until it is opened. A server of another site learns nothing about the viewer. */
export function Picture({ src, title }: { src: string; title: string }) {
  return (
    <details className="payload-picture">
      <summary>
        <img src={src} alt={title} loading="lazy" referrerPolicy="no-referrer" />
      </summary>
    </details>
  );
}

/** Loads a picture from another site on request. Without scripts, it is a link to the picture. */
export function LoadImage({ image, title }: { image: SafeImage; title: string }) {
  const [isLoaded, setLoaded] = useState(false);
  const hasScripts = useScripts();
  const { host } = image;
  const label = host === null ? t("Load image from this text") : t("Load image from {host}", { host });
  if (isLoaded) return <Picture src={image.src} title={title} />;
  if (hasScripts && !image.src.startsWith("http:"))
    return (
      <button type="button" className="payload-load" onClick={() => setLoaded(true)}>
        {label}
      </button>
    );
  return (
    <a className="payload-load" href={image.src} target="_blank" rel="noopener noreferrer nofollow">
      {label}
    </a>
  );
}
