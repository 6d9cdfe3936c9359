import { Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { as, t } from "../../../languages/text.ts";
import { post } from "../api.ts";
import { ErrorPanel } from "../ui/page.tsx";
import { Problem } from "./form.tsx";
import { settingsQuery } from "./queries.ts";
import type { ProviderCheck, Settings } from "./queries.ts";
import { StateChip } from "./status.tsx";

/** How people sign in, and a test of the sign-in provider. */
export function SignInSettings() {
  const settings = useQuery(settingsQuery);
  if (settings.isPending) return <p className="muted">{t("Loading")}</p>;
  if (settings.isError)
    return (
      <ErrorPanel
        title={t("Could not load the settings")}
        error={settings.error}
        retry={() => void settings.refetch()}
      />
    );
  const { sign_in } = settings.data;
  return (
    <>
      {sign_in.oidc !== null && <Test />}
      <dl className="surface facts">
        {factsOf(settings.data).map(({ name, value, meaning, variable }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <p>{value}</p>
              <p className="muted">{meaning}</p>
              {variable !== null && <code>{variable}</code>}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

interface Fact {
  readonly name: string;
  readonly value: ReactNode;
  readonly meaning: string;
  /** null if no setting changes it. */
  readonly variable: string | null;
}

const PASSWORDS: Record<Settings["sign_in"]["password"], readonly [value: string, meaning: string]> = {
  everyone: [t("Everyone"), t("Everyone who has a password can sign in with it.")],
  operators: [t("Operators only"), t("Others sign in with their company account.")],
  off: [
    as("state", "Off"),
    t(
      'No one can sign in with a password. Passkeys still work. The value "operators" lets operators in if the provider is down.',
    ),
  ],
};

function factsOf({ sign_in: { password, oidc }, public_url, require_passkey }: Settings): readonly Fact[] {
  const passkeys: Fact = {
    name: t("Passkeys"),
    value: (
      <StateChip
        state={require_passkey === null ? "off" : "on"}
        value={require_passkey === null ? t("Optional") : t("Required for operators")}
      />
    ),
    meaning:
      require_passkey === null
        ? t('People add passkeys in their settings. The value "operators" makes a passkey required for operators.')
        : t("Operators sign in with a passkey or their company account, not with a password alone."),
    variable: "SERVICE_REQUIRE_PASSKEY",
  };
  const [value, meaning] = PASSWORDS[password];
  const passwords: Fact = {
    name: t("Passwords"),
    value: <StateChip state={password === "off" ? "off" : "on"} value={value} />,
    meaning,
    variable: "SERVICE_PASSWORD_SIGN_IN",
  };
  const company: Fact = {
    name: t("Company accounts"),
    value: (
      <StateChip state={oidc === null ? "off" : "on"} value={oidc === null ? as("state", "Off") : as("state", "On")} />
    ),
    meaning:
      oidc === null
        ? t("Set the issuer, the client id and the client secret of your provider (OpenID Connect).")
        : t("People sign in with their account at the provider. The client secret is set, and never shown."),
    variable: "SERVICE_OIDC_ISSUER, SERVICE_OIDC_CLIENT_ID, SERVICE_OIDC_CLIENT_SECRET",
  };
  const redirect: Fact = {
    name: t("Redirect URL"),
    value: <strong>{`${public_url}/api/auth/oidc/callback`}</strong>,
    meaning: t("Register it at your provider."),
    variable: null,
  };
  return [passkeys, passwords, company, redirect, ...(oidc === null ? [] : detailsOf(oidc))];
}

function detailsOf(oidc: NonNullable<Settings["sign_in"]["oidc"]>): readonly Fact[] {
  return [
    {
      name: t("Issuer"),
      value: <strong>{oidc.issuer}</strong>,
      meaning: t("The provider."),
      variable: "SERVICE_OIDC_ISSUER",
    },
    {
      name: t("Client id"),
      value: <strong>{oidc.client_id}</strong>,
      meaning: t("This service at the provider."),
      variable: "SERVICE_OIDC_CLIENT_ID",
    },
    {
      name: t("Scopes"),
      value: <strong>{oidc.scopes}</strong>,
      meaning: t("What the service asks the provider for."),
      variable: "SERVICE_OIDC_SCOPES",
    },
    {
      name: t("New people"),
      value: (
        <StateChip
          state={oidc.auto_create ? "on" : "off"}
          value={oidc.auto_create ? t("Added at sign-in") : t("Not added")}
        />
      ),
      meaning: oidc.auto_create
        ? t("Everyone with a verified email at the provider can sign in.")
        : t('Only people in the directory can sign in. The value "1" adds others at their first sign-in.'),
      variable: "SERVICE_OIDC_AUTO_CREATE",
    },
    {
      name: t("Operator group"),
      value: (
        <StateChip
          state={oidc.operator_group === null ? "off" : "on"}
          value={oidc.operator_group ?? as("group", "None")}
        />
      ),
      meaning:
        oidc.operator_group === null
          ? t("Groups change nothing. Operators are made under People.")
          : t("Members are operators, and others are not, from their next sign-in on. Read from the claim {claim}.", {
              claim: oidc.groups_claim,
            }),
      variable: "SERVICE_OIDC_OPERATOR_GROUP, SERVICE_OIDC_GROUPS_CLAIM",
    },
  ];
}

/** Asks the service to test the provider, and shows the result. */
function Test() {
  const test = useMutation({ mutationFn: () => post<ProviderCheck>("/api/auth/oidc/check") });
  return (
    <section className="surface stack" aria-labelledby="test">
      <h2 id="test">{t("Test the provider")}</h2>
      <p className="muted">{t("Reads its description and its keys, and tries the client secret. Signs no one in.")}</p>
      <div className="row">
        <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
          {as("verb", "Test")}
        </Button>
      </div>
      <Problem error={test.error} />
      {/* Always present, so that screen readers announce what is added. */}
      <output>{test.data?.ok === true && <span className="notice ok">{test.data.message}</span>}</output>
      {test.data?.ok === false && (
        <p className="notice bad" role="alert">
          {test.data.message}
        </p>
      )}
    </section>
  );
}
