import { mountTaskForm } from "./task-form.js";

const main = /** @type {HTMLElement} */ (document.querySelector("main"));
const log = /** @type {HTMLElement} */ (document.querySelector("#log"));

/** @param {string} text */
function say(text) {
  const line = document.createElement("li");
  line.textContent = text;
  log.append(line);
}

/**
 * @param {string} path
 * @param {object} body
 */
async function post(path, body) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw Object.assign(new Error(answer.message), { code: answer.error_code });
  return answer;
}

const { task_id } = await post("/tasks", {});
const form = mountTaskForm({
  element: main,
  embedUrl: async () => (await post("/embed-url", { task_id })).embed_url,
  title: "Approve a refund",
  on: {
    loaded: ({ taskId }) => say(`The form of ${taskId} is loaded.`),
    "task.completed": ({ response }) => {
      say(`The page received: ${JSON.stringify(response)}`);
      void showOutcome();
    },
    "task.error": ({ code, message }) => say(`${code}: ${message}`),
  },
});

/** What a browser says is a hint. What counts is what the service tells our server. */
async function showOutcome() {
  const { response } = await (await fetch(`/outcomes/${task_id}`)).json();
  say(`Our server received: ${JSON.stringify(response)}`);
  form.remove();
}
