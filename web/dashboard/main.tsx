// oxlint-disable-next-line import/no-unassigned-import -- what follows uses texts in the language that it sets
import "./language.ts";
import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import { adoptKitVariables } from "./ui/kit-styles.ts";
import { queryClient } from "./queries.ts";
import { router } from "./router.tsx";
import { theme, ThemeOnRoot } from "./ui/theme.ts";
import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "@fontsource-variable/inter/wght.css";
import "../tokens.css";
import "../form/form.css";
import "../form/payload/payload.css";
import "./dashboard.css";
import "./settings/settings.css";

adoptKitVariables();
createRoot(document.querySelector("#root")!).render(
  <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
    <ThemeOnRoot />
    <Notifications position="bottom-right" limit={5} />
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </MantineProvider>,
);
