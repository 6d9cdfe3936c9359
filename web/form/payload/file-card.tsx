import type { ReactElement } from "react";
import { t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import { shortDigest, type ShownReference } from "../../../form/payload/reference.ts";
import type { PayloadParts } from "./drawing.ts";
import { visible } from "./text.tsx";

interface FileCardProps {
  readonly file: ShownReference;
  readonly Preview?: PayloadParts["Preview"] | undefined;
}

/** A file somewhere else. Nothing of it is loaded before a person asks for it. */
export function FileCard({ file, Preview }: FileCardProps): ReactElement {
  const { name, about, sha256, href, host } = file;
  return (
    <div className="payload-link">
      <span dir="auto">{visible(name)}</span>{" "}
      <span className="payload-muted">
        ({about}, <span title={sha256}>SHA-256 {shortDigest(sha256)}...</span>)
      </span>
      <p className="payload-note">
        {rich("{link}, which then sees your network address.", {
          link: (
            <a href={href} target="_blank" rel="noopener noreferrer nofollow">
              {t("Open at {host}", { host })}
            </a>
          ),
        })}
      </p>
      {Preview !== undefined && file.can_preview && <Preview file={file} />}
    </div>
  );
}
