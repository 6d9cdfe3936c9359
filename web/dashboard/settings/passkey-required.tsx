import { Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { t } from "../../../languages/text.ts";
import { companySignIn } from "../api.ts";
import { ConfirmIdentity } from "../confirm-identity.tsx";
import { confirmWithPasskey } from "../passkey.ts";
import { meQuery, queryClient, setupQuery } from "../queries.ts";
import { signOut } from "../sign-out.ts";
import { ErrorPanel } from "../ui/page.tsx";
import { Problem } from "./form.tsx";
import { AddPasskey } from "./passkeys.tsx";
import { passkeysQuery } from "./queries.ts";

/** For an operator who signed in by password where a passkey is required: they can do nothing else. */
export function PasskeyRequiredPage({ to }: { to: string }) {
  const navigate = useNavigate();
  const { data: me } = useQuery(meQuery);
  const passkeys = useQuery(passkeysQuery);
  const { data: setup } = useQuery(setupQuery);
  const goOn = async (): Promise<void> => {
    await queryClient.fetchQuery({ ...meQuery, staleTime: 0 });
    await navigate({ to, replace: true });
  };
  const leave = useMutation({ mutationFn: signOut, onSuccess: () => navigate({ to: "/login" }) });
  useEffect(() => {
    document.title = t("Passkey needed - Human Task Service");
  }, []);
  if (me === undefined || passkeys.isPending) return null;
  return (
    <main id="main" className="alone wide" tabIndex={-1}>
      <h1>{t("Operators need a passkey")}</h1>
      {passkeys.isError && (
        <ErrorPanel
          title={t("Could not load your passkeys")}
          error={passkeys.error}
          retry={() => void passkeys.refetch()}
        />
      )}
      {passkeys.data?.some(({ usable }) => usable) === true ? (
        <Use onUsed={goOn} />
      ) : (
        <>
          <p>{t("Add one to continue. From then on, you sign in with it.")}</p>
          <AddPasskey onAdded={goOn} />
        </>
      )}
      {setup?.sign_in.oidc === true && (
        <>
          <p>{t("With a company account, you need no passkey.")}</p>
          <div className="row">
            <Button component="a" variant="default" href={companySignIn(to)}>
              {t("Sign in with your company account")}
            </Button>
          </div>
        </>
      )}
      <div className="row">
        <Button variant="default" loading={leave.isPending} onClick={() => leave.mutate()}>
          {t("Sign out")}
        </Button>
      </div>
      <ConfirmIdentity me={me} />
    </main>
  );
}

function Use({ onUsed }: { onUsed: () => Promise<void> }) {
  const use = useMutation({ mutationFn: confirmWithPasskey, onSuccess: onUsed });
  return (
    <>
      <p>{t("You have a passkey. Use it to continue. If you have lost it, ask another operator to remove it.")}</p>
      <Problem error={use.error} />
      <div className="row">
        <Button loading={use.isPending} onClick={() => use.mutate()}>
          {t("Use a passkey")}
        </Button>
      </div>
    </>
  );
}
