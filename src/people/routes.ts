import { mount } from "../http/route.ts";
import { getSetupStatusRoute, setUpOperatorRoute } from "./routes/setup.ts";
import {
  confirmRoute,
  endOtherSessionsRoute,
  endSessionRoute,
  endUserSessionsRoute,
  listSessionsRoute,
} from "./routes/sessions.ts";
import { signInRoute, signOutRoute, getMeRoute, updateMeRoute } from "./routes/auth.ts";
import { listUsersRoute, createUserRoute, getUserRoute, updateUserRoute, deleteUserRoute } from "./routes/users.ts";
import { listServiceKeysRoute, createServiceKeyRoute, revokeServiceKeyRoute } from "./routes/service-keys.ts";
import {
  CreateServiceKeyBody,
  CreateUserBody,
  LoginBody,
  Me,
  NewServiceKeyRecord,
  ServiceKeyRecord,
  SetupBody,
  SetupResult,
  SetupStatus,
  UpdateMeBody,
  UpdateUserBody,
  UserRecord,
} from "./schema.ts";
import { ConfirmBody, SessionRecord } from "./session-schema.ts";
import type { PeopleContext } from "./setup.ts";

/** First run, signing in, the directory and service keys. (spec: Setup, Auth, Users; wire: Service keys) */
export const peopleRoutes = mount<PeopleContext>([
  getSetupStatusRoute,
  setUpOperatorRoute,
  signInRoute,
  signOutRoute,
  getMeRoute,
  updateMeRoute,
  confirmRoute,
  listSessionsRoute,
  endSessionRoute,
  endOtherSessionsRoute,
  listUsersRoute,
  createUserRoute,
  getUserRoute,
  updateUserRoute,
  deleteUserRoute,
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
  SessionRecord,
  UserRecord,
  CreateUserBody,
  UpdateUserBody,
  ServiceKeyRecord,
  NewServiceKeyRecord,
  CreateServiceKeyBody,
];
