import { mount } from "../http/route.ts";
import { absenceRoutes } from "./absence/routes.ts";
import { AbsenceRecord, DelegateRecord, SetAbsenceBody } from "./absence/schema.ts";
import { getSetupStatusRoute, setUpOperatorRoute } from "./routes/setup.ts";
import {
  confirmOptionsRoute,
  confirmRoute,
  endOtherSessionsRoute,
  endSessionRoute,
  endUserSessionsRoute,
  listConfirmationWaysRoute,
  listSessionsRoute,
} from "./routes/sessions.ts";
import { beginOidcRoute, checkProviderRoute, completeOidcRoute } from "./routes/oidc.ts";
import { signInRoute, signOutRoute, getMeRoute, updateMeRoute } from "./routes/auth.ts";
import {
  listUsersRoute,
  createUserRoute,
  getUserRoute,
  unlinkUserRoute,
  updateUserRoute,
  deleteUserRoute,
} from "./routes/users.ts";
import { listServiceKeysRoute, createServiceKeyRoute, revokeServiceKeyRoute } from "./routes/service-keys.ts";
import {
  CreateServiceKeyBody,
  CreateUserBody,
  LoginBody,
  Me,
  NewServiceKeyRecord,
  ProviderCheck,
  ServiceKeyRecord,
  SetupBody,
  SetupResult,
  SetupStatus,
  UpdateMeBody,
  UpdateUserBody,
  UserRecord,
} from "./schema.ts";
import type { InvitingContext } from "./invitations/invitations.ts";
import { invitationRoutes } from "./invitations/routes.ts";
import {
  AcceptInvitationBody,
  CreateInvitationBody,
  NewInvitationRecord,
  OpenedInvitation,
  OpenInvitationBody,
} from "./invitations/schema.ts";
import type { OidcContext } from "./oidc/sign-in.ts";
import { passkeyRoutes } from "./passkeys/routes.ts";
import {
  AddPasskeyBody,
  CreationOptions,
  PasskeyAnswer,
  PasskeyRecord,
  PasskeySignInBody,
  RenamePasskeyBody,
  PasskeyRequestOptions,
} from "./passkeys/schema.ts";
import { personalTokenRoutes } from "./personal-tokens/routes.ts";
import { CreatePersonalTokenBody, NewPersonalTokenRecord, PersonalTokenRecord } from "./personal-tokens/schema.ts";
import { ConfirmationWays, ConfirmBody, SessionRecord } from "./session-schema.ts";
import type { PeopleContext } from "./setup.ts";

/** First run, signing in, the directory and service keys. (spec: Setup, Auth, Users; wire: Service keys) */
export const peopleRoutes = mount<PeopleContext & OidcContext & InvitingContext>([
  getSetupStatusRoute,
  setUpOperatorRoute,
  signInRoute,
  signOutRoute,
  getMeRoute,
  updateMeRoute,
  beginOidcRoute,
  completeOidcRoute,
  checkProviderRoute,
  listConfirmationWaysRoute,
  confirmRoute,
  confirmOptionsRoute,
  ...passkeyRoutes,
  ...personalTokenRoutes,
  ...invitationRoutes,
  listSessionsRoute,
  endSessionRoute,
  endOtherSessionsRoute,
  listUsersRoute,
  createUserRoute,
  getUserRoute,
  updateUserRoute,
  deleteUserRoute,
  unlinkUserRoute,
  ...absenceRoutes,
  endUserSessionsRoute,
  listServiceKeysRoute,
  createServiceKeyRoute,
  revokeServiceKeyRoute,
]);

/** Shapes that other shapes refer to by name. */
export const peopleShapes = [
  SetupStatus,
  SetupBody,
  SetupResult,
  LoginBody,
  Me,
  UpdateMeBody,
  ConfirmBody,
  ConfirmationWays,
  ProviderCheck,
  SessionRecord,
  PasskeyAnswer,
  PasskeyRecord,
  PasskeyRequestOptions,
  PasskeySignInBody,
  CreationOptions,
  AddPasskeyBody,
  RenamePasskeyBody,
  PersonalTokenRecord,
  NewPersonalTokenRecord,
  CreatePersonalTokenBody,
  NewInvitationRecord,
  CreateInvitationBody,
  OpenInvitationBody,
  OpenedInvitation,
  AcceptInvitationBody,
  UserRecord,
  CreateUserBody,
  UpdateUserBody,
  AbsenceRecord,
  SetAbsenceBody,
  DelegateRecord,
  ServiceKeyRecord,
  NewServiceKeyRecord,
  CreateServiceKeyBody,
];
