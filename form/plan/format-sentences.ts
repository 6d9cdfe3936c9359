import { t } from "../../languages/text.ts";
import { setFormatSentences } from "./messages.ts";

/* How to enter a text of a format. It is loaded with the code that checks formats, which most forms in the browser do without. */

setFormatSentences((format) => {
  switch (format) {
    case "email":
      return t("Enter an email address, such as name@example.com.");
    case "uri":
      return t("Enter a complete web address, such as https://example.com/page.");
    case "uuid":
      return t("Enter an identifier such as 123e4567-e89b-12d3-a456-426614174000.");
    case "date":
      return t("Enter a valid date, such as 2026-03-31.");
    case "time":
      return t("Enter a time such as 14:30.");
    case "date-time":
      return t("Enter a date and a time.");
    case "duration":
      return t("Enter a duration such as P3D (3 days) or PT2H30M (2 hours 30 minutes).");
    case "hostname":
      return t("Enter a host name such as www.example.com.");
    case "ipv4":
      return t("Enter an IP address such as 192.0.2.1.");
    case "ipv6":
      return t("Enter an IP address such as 2001:db8::1.");
    default:
      return null;
  }
});
