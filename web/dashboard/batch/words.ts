/** "1 task", "100 tasks" */
export function tasksIn(count: number): string {
  return `${count} ${count === 1 ? "task" : "tasks"}`;
}

/** "1 answer", "100 answers" */
export function answersIn(count: number): string {
  return `${count} ${count === 1 ? "answer" : "answers"}`;
}
