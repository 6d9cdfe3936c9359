import { randomUUID } from "node:crypto";
import type { TestContext } from "node:test";
import { Server, ServerCredentials, status, type sendUnaryData, type ServerUnaryCall } from "@grpc/grpc-js";
import proto from "@temporalio/proto";

/**
 * A stand-in for Temporal's server: a frontend that speaks its protocol over gRPC with the SDK's own messages, for the
 * real client and the real worker. It keeps the history of each workflow, hands out tasks, and appends the messages of
 * workers and clients by the server's rules. Events during a workflow's task are appended after it. A failed activity
 * is retried unless its failure forbids that. Signals to an ended workflow are refused.
 *
 * It has one namespace, and no schedules, updates, queries, children, search, back-off or limits.
 */
export interface TemporalStandIn {
  /** `127.0.0.1:41234` */
  address: string;
  /** Refuses signals, as if it were down. */
  isAway: boolean;
  /** Returns the events of a workflow's latest run, as the server would. */
  history(workflowId: string): { events: HistoryEvent[] };
  /** Resolves once a workflow only waits for a timer or a signal. */
  idle(workflowId: string): Promise<void>;
  /** Resolves once an activity of a workflow has sent a heartbeat. */
  beaten(workflowId: string): Promise<void>;
  /** Fires all timers of a workflow. */
  fireTimers(workflowId: string): void;
  /** Errors in a workflow's code that a worker reported, such as nondeterminism. */
  problems: string[];
}

/** A message of the protocol. The SDK has its types. */
// oxlint-disable-next-line typescript/no-explicit-any
type Body = Record<string, any>;

export interface HistoryEvent extends Body {
  eventId: number;
  eventType: number;
}

interface Activity {
  workflow: Workflow;
  scheduledId: number;
  attributes: Body;
  attempt: number;
  isCancelRequested: boolean;
  silence?: NodeJS.Timeout;
}

interface Workflow {
  id: string;
  runId: string;
  type: Body;
  queue: string;
  events: HistoryEvent[];
  /** Of the current task; null without one. */
  task: { scheduledId: number; startedId: number | null } | null;
  lastStartedId: number;
  /** Events during a task. */
  buffered: (() => void)[];
  activities: Map<number, Activity>;
  timers: Map<string, { startedId: number; timer: NodeJS.Timeout }>;
  /** Heartbeats so far. */
  beats: number;
  isOver: boolean;
  watchers: Set<() => void>;
}

const api = (proto as Body)["temporal"]["api"];
const { EventType, CommandType } = api["enums"]["v1"];

export async function startTemporal(t: TestContext): Promise<TemporalStandIn> {
  const workflows: Workflow[] = [];
  const queues = new Map<string, Queue>();
  const tokens = new Map<string, Activity>();
  const problems: string[] = [];
  const standIn: TemporalStandIn = {
    address: "",
    isAway: false,
    problems,
    history: (id) => ({ events: latest(id).events }),
    idle: async (id) => {
      const workflow = latest(id);
      const isIdle = () => workflow.task === null && workflow.activities.size === 0;
      while (!isIdle()) await changeOf(workflow);
    },
    beaten: async (id) => {
      const workflow = latest(id);
      while (workflow.beats === 0) await changeOf(workflow);
    },
    fireTimers: (id) => {
      const workflow = latest(id);
      for (const [timerId, { timer }] of workflow.timers) {
        clearTimeout(timer);
        fire(workflow, timerId);
      }
    },
  };

  const latest = (id: string): Workflow => {
    const workflow = workflows.findLast((one) => one.id === id);
    if (workflow === undefined) throw new Refusal(status.NOT_FOUND, "workflow not found");
    return workflow;
  };
  const running = ({ workflowId, runId }: Body): Workflow => {
    const workflow = latest(workflowId);
    if (workflow.isOver || (runId && workflow.runId !== runId))
      throw new Refusal(status.NOT_FOUND, "workflow execution already completed");
    return workflow;
  };
  const queueOf = (kind: string, name: string): Queue => {
    const key = `${kind}:${name}`;
    const queue = queues.get(key) ?? createQueue();
    queues.set(key, queue);
    return queue;
  };

  const append = (workflow: Workflow, name: string, attributes: Body): number => {
    const eventId = workflow.events.length + 1;
    const key = `${name[0]!.toLowerCase()}${name.slice(1)}EventAttributes`;
    const constant = `EVENT_TYPE_${name.replaceAll(/(?<=.)([A-Z])/g, "_$1").toUpperCase()}`;
    const eventType = EventType[constant];
    workflow.events.push({ eventId, eventTime: now(), eventType, taskId: eventId, [key]: attributes });
    for (const tell of workflow.watchers) tell();
    return eventId;
  };

  /** Adds an event for a workflow: at once, or after the current task. */
  const happen = (workflow: Workflow, event: () => void): void => {
    if (workflow.isOver) return;
    if (workflow.task?.startedId != null) {
      workflow.buffered.push(event);
      return;
    }
    event();
    schedule(workflow);
  };

  const schedule = (workflow: Workflow): void => {
    if (workflow.isOver || workflow.task !== null) return;
    const taskQueue = { name: workflow.queue, kind: 1 };
    const attributes = { taskQueue, startToCloseTimeout: { seconds: 10 }, attempt: 1 };
    workflow.task = { scheduledId: append(workflow, "WorkflowTaskScheduled", attributes), startedId: null };
    queueOf("workflow", workflow.queue).add(() => begin(workflow));
  };

  const begin = (workflow: Workflow): Body => {
    const { scheduledId } = workflow.task!;
    const startedId = append(workflow, "WorkflowTaskStarted", {
      scheduledEventId: scheduledId,
      requestId: randomUUID(),
      identity: "worker",
    });
    workflow.task!.startedId = startedId;
    return {
      taskToken: Buffer.from(`${workflow.id}\n${workflow.runId}`),
      workflowExecution: executionOf(workflow),
      workflowType: workflow.type,
      previousStartedEventId: workflow.lastStartedId,
      startedEventId: startedId,
      attempt: 1,
      history: { events: workflow.events },
      workflowExecutionTaskQueue: { name: workflow.queue, kind: 1 },
      scheduledTime: now(),
      startedTime: now(),
    };
  };

  const enqueue = (activity: Activity): void => {
    const { attributes, workflow } = activity;
    queueOf("activity", attributes["taskQueue"]["name"]).add(() => {
      const token = randomUUID();
      tokens.set(token, activity);
      listenTo(token, activity);
      const { activityId, activityType, input, header, retryPolicy } = attributes;
      // The server represents "none" as zero.
      const none = { seconds: 0 };
      const { scheduleToCloseTimeout, startToCloseTimeout, heartbeatTimeout } = attributes;
      return {
        taskToken: Buffer.from(token),
        workflowNamespace: "default",
        workflowType: workflow.type,
        workflowExecution: executionOf(workflow),
        activityId,
        activityType,
        input,
        header,
        retryPolicy,
        scheduleToCloseTimeout: scheduleToCloseTimeout ?? none,
        startToCloseTimeout: startToCloseTimeout ?? none,
        heartbeatTimeout: heartbeatTimeout ?? none,
        scheduledTime: now(),
        currentAttemptScheduledTime: now(),
        startedTime: now(),
        attempt: activity.attempt,
      };
    });
  };

  /** Waits for the next heartbeat. An activity without one for too long counts as dead. */
  const listenTo = (token: string, activity: Activity): void => {
    clearTimeout(activity.silence);
    const { seconds = 0, nanos = 0 } = (activity.attributes["heartbeatTimeout"] ?? {}) as Body;
    const ms = Number(seconds) * 1000 + nanos / 1e6;
    if (ms === 0) return;
    activity.silence = setTimeout(() => {
      if (tokens.delete(token)) tryAgain(activity);
    }, ms);
  };

  const tryAgain = (activity: Activity): void => {
    activity.attempt++;
    setTimeout(() => enqueue(activity), RETRY_MS);
  };

  /** Ends an activity. Its start is recorded with its end, as the server does. */
  const endActivity = ({ taskToken, identity }: Body, name: string, attributes: Body): void => {
    const token = Buffer.from(taskToken).toString();
    const activity = tokens.get(token);
    tokens.delete(token);
    if (activity === undefined) throw new Refusal(status.NOT_FOUND, "activity not found");
    const { workflow, scheduledId, attempt } = activity;
    clearTimeout(activity.silence);
    happen(workflow, () => {
      const start = { scheduledEventId: scheduledId, identity, requestId: token, attempt };
      const startedEventId = append(workflow, "ActivityTaskStarted", start);
      append(workflow, name, { ...attributes, scheduledEventId: scheduledId, startedEventId, identity });
      workflow.activities.delete(scheduledId);
    });
  };

  const fire = (workflow: Workflow, timerId: string): void => {
    const startedEventId = workflow.timers.get(timerId)!.startedId;
    happen(workflow, () => {
      if (!workflow.timers.delete(timerId)) return;
      append(workflow, "TimerFired", { timerId, startedEventId });
    });
  };

  const end = (workflow: Workflow, name: string, attributes: Body): void => {
    append(workflow, name, attributes);
    workflow.isOver = true;
    for (const { timer } of workflow.timers.values()) clearTimeout(timer);
    for (const tell of workflow.watchers) tell();
  };

  const obey = (workflow: Workflow, command: Body, completedId: number): void => {
    const by = { workflowTaskCompletedEventId: completedId };
    const kind = CommandType[command["commandType"]] as string;
    const attributes = { ...(command[String(command["attributes"])] as Body), ...by } as Body;
    switch (kind) {
      case "COMMAND_TYPE_SCHEDULE_ACTIVITY_TASK": {
        const scheduledId = append(workflow, "ActivityTaskScheduled", attributes);
        const activity: Activity = { workflow, scheduledId, attributes, attempt: 1, isCancelRequested: false };
        workflow.activities.set(scheduledId, activity);
        enqueue(activity);
        return;
      }
      case "COMMAND_TYPE_REQUEST_CANCEL_ACTIVITY_TASK": {
        append(workflow, "ActivityTaskCancelRequested", attributes);
        const activity = workflow.activities.get(Number(attributes["scheduledEventId"]));
        if (activity !== undefined) activity.isCancelRequested = true;
        return;
      }
      case "COMMAND_TYPE_START_TIMER": {
        const { timerId, startToFireTimeout } = attributes;
        const startedId = append(workflow, "TimerStarted", attributes);
        const timer = setTimeout(
          () => fire(workflow, timerId),
          Math.min(Number(startToFireTimeout.seconds) * 1000, 2e9),
        );
        workflow.timers.set(timerId, { startedId, timer });
        return;
      }
      case "COMMAND_TYPE_CANCEL_TIMER": {
        const { timerId } = attributes;
        const { startedId, timer } = workflow.timers.get(timerId)!;
        clearTimeout(timer);
        workflow.timers.delete(timerId);
        append(workflow, "TimerCanceled", { ...attributes, startedEventId: startedId });
        return;
      }
      case "COMMAND_TYPE_COMPLETE_WORKFLOW_EXECUTION":
        return end(workflow, "WorkflowExecutionCompleted", attributes);
      case "COMMAND_TYPE_FAIL_WORKFLOW_EXECUTION":
        return end(workflow, "WorkflowExecutionFailed", attributes);
      case "COMMAND_TYPE_CANCEL_WORKFLOW_EXECUTION":
        return end(workflow, "WorkflowExecutionCanceled", attributes);
      default:
        throw new Error(`the stand-in knows no ${kind}`);
    }
  };

  const methods: Record<string, (request: Body, call: Call) => Body | Promise<Body>> = {
    GetSystemInfo: () => ({
      serverVersion: "1.28.0",
      capabilities: {
        signalAndQueryHeader: true,
        internalErrorDifferentiation: true,
        activityFailureIncludeHeartbeat: true,
      },
    }),
    DescribeNamespace: () => ({ namespaceInfo: { name: "default", state: 1, id: "default", capabilities: {} } }),
    ShutdownWorker: () => ({}),
    RecordWorkerHeartbeat: () => ({}),

    StartWorkflowExecution: ({ workflowId, workflowType, taskQueue, input, header, identity }) => {
      const runId = randomUUID();
      const workflow: Workflow = {
        id: workflowId,
        runId,
        type: workflowType,
        queue: taskQueue.name,
        events: [],
        task: null,
        lastStartedId: 0,
        buffered: [],
        beats: 0,
        isOver: false,
        activities: new Map(),
        timers: new Map(),
        watchers: new Set(),
      };
      workflows.push(workflow);
      append(workflow, "WorkflowExecutionStarted", {
        workflowType,
        taskQueue,
        input,
        header,
        identity,
        workflowId,
        originalExecutionRunId: runId,
        firstExecutionRunId: runId,
        attempt: 1,
        workflowTaskTimeout: { seconds: 10 },
      });
      schedule(workflow);
      return { runId, started: true };
    },
    SignalWorkflowExecution: ({ workflowExecution, signalName, input, header, identity }) => {
      if (standIn.isAway) throw new Refusal(status.PERMISSION_DENIED, "away");
      const workflow = running(workflowExecution);
      happen(workflow, () => append(workflow, "WorkflowExecutionSignaled", { signalName, input, header, identity }));
      return {};
    },
    RequestCancelWorkflowExecution: ({ workflowExecution, identity }) => {
      const workflow = running(workflowExecution);
      happen(workflow, () => append(workflow, "WorkflowExecutionCancelRequested", { identity }));
      return {};
    },
    GetWorkflowExecutionHistory: async ({ execution, waitNewEvent, historyEventFilterType }, call) => {
      const workflow = latest(execution.workflowId);
      while (waitNewEvent && !workflow.isOver && !call.cancelled) await changeOf(workflow, call);
      const isEndOnly = historyEventFilterType === 2;
      return { history: { events: isEndOnly ? workflow.events.slice(-1) : workflow.events } };
    },

    PollWorkflowTaskQueue: async ({ taskQueue }, call) => queueOf("workflow", taskQueue.name).take(call),
    PollActivityTaskQueue: async ({ taskQueue }, call) => queueOf("activity", taskQueue.name).take(call),

    RespondWorkflowTaskCompleted: ({ taskToken, commands, identity, sdkMetadata, meteringMetadata }) => {
      const [workflowId, runId] = Buffer.from(taskToken).toString().split("\n");
      const workflow = running({ workflowId, runId });
      const { scheduledId, startedId } = workflow.task!;
      workflow.task = null;
      workflow.lastStartedId = startedId!;
      const completed = { scheduledEventId: scheduledId, startedEventId: startedId, identity };
      const completedId = append(workflow, "WorkflowTaskCompleted", { ...completed, sdkMetadata, meteringMetadata });
      for (const command of commands) obey(workflow, command, completedId);
      const buffered = workflow.buffered.splice(0);
      for (const event of buffered) happen(workflow, event);
      for (const tell of workflow.watchers) tell();
      return {};
    },
    RespondWorkflowTaskFailed: ({ taskToken, failure, identity }) => {
      problems.push(failure.message);
      const [workflowId, runId] = Buffer.from(taskToken).toString().split("\n");
      const workflow = running({ workflowId, runId });
      const { scheduledId, startedId } = workflow.task!;
      workflow.task = null;
      append(workflow, "WorkflowTaskFailed", {
        scheduledEventId: scheduledId,
        startedEventId: startedId,
        failure,
        identity,
      });
      end(workflow, "WorkflowExecutionFailed", { failure });
      return {};
    },

    RespondActivityTaskCompleted: (request) => {
      endActivity(request, "ActivityTaskCompleted", { result: request["result"] });
      return {};
    },
    // By its ids, from outside a worker.
    RespondActivityTaskCompletedById: ({ workflowId, activityId, result, identity }) => {
      const { activities } = running({ workflowId });
      const found = [...tokens].find(
        ([, { scheduledId, attributes }]) => activities.has(scheduledId) && attributes["activityId"] === activityId,
      );
      if (found === undefined) throw new Refusal(status.NOT_FOUND, "activity not found");
      endActivity({ taskToken: Buffer.from(found[0]), identity }, "ActivityTaskCompleted", { result });
      return {};
    },
    RespondActivityTaskCanceled: (request) => {
      endActivity(request, "ActivityTaskCanceled", { details: request["details"] });
      return {};
    },
    RespondActivityTaskFailed: (request) => {
      const { failure, taskToken } = request;
      const token = Buffer.from(taskToken).toString();
      const activity = tokens.get(token);
      if (failure.applicationFailureInfo?.nonRetryable === true || activity?.isCancelRequested) {
        endActivity(request, "ActivityTaskFailed", { failure, retryState: 2 });
      } else if (activity !== undefined) {
        tokens.delete(token);
        tryAgain(activity);
      }
      return {};
    },
    RecordActivityTaskHeartbeat: ({ taskToken }) => {
      const activity = tokens.get(Buffer.from(taskToken).toString());
      if (activity === undefined) throw new Refusal(status.NOT_FOUND, "activity not found");
      listenTo(Buffer.from(taskToken).toString(), activity);
      activity.workflow.beats++;
      for (const tell of activity.workflow.watchers) tell();
      return { cancelRequested: activity.isCancelRequested };
    },
  };

  const server = serve(methods);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) => {
      if (error !== null) reject(error);
      else resolve(bound);
    });
  });
  t.after(() => {
    for (const { timers } of workflows) for (const { timer } of timers.values()) clearTimeout(timer);
    server.forceShutdown();
  });
  standIn.address = `127.0.0.1:${port}`;
  return standIn;
}

type Call = ServerUnaryCall<Body, Body>;

class Refusal extends Error {
  readonly code: status;
  readonly details: string;

  constructor(code: status, details: string) {
    super(details);
    this.code = code;
    this.details = details;
  }
}

/** Serves every method, with the SDK's own messages. Methods without an entry are unknown. */
function serve(methods: Record<string, (request: Body, call: Call) => Body | Promise<Body>>): Server {
  const service = (proto as Body)["lookupService"]("temporal.api.workflowservice.v1.WorkflowService").resolveAll();
  const definition: Body = {};
  const handlers: Body = {};
  for (const { name, resolvedRequestType, resolvedResponseType } of service.methodsArray as Body[]) {
    definition[name] = {
      path: `/temporal.api.workflowservice.v1.WorkflowService/${name}`,
      requestStream: false,
      responseStream: false,
      requestDeserialize: (bytes: Buffer) => resolvedRequestType.decode(bytes),
      requestSerialize: () => {},
      responseSerialize: (value: Body) =>
        Buffer.from(resolvedResponseType.encode(resolvedResponseType.fromObject(value)).finish()),
      responseDeserialize: () => {},
    };
    const handle = methods[name];
    if (handle === undefined) continue;
    handlers[name] = async (call: Call, answer: sendUnaryData<Body>) => {
      try {
        answer(null, await handle(call.request, call));
      } catch (error) {
        if (!(error instanceof Refusal)) console.error(name, error);
        answer(error as Error);
      }
    };
  }
  const server = new Server();
  server.addService(definition, handlers);
  return server;
}

interface Queue {
  add(make: () => Body): void;
  /** Waits for a task. Returns an empty answer after a long wait, or when the caller has left. */
  take(call: Call): Promise<Body>;
}

const POLL_MS = 20_000;
const RETRY_MS = 100;

function createQueue(): Queue {
  const tasks: (() => Body)[] = [];
  const takers: ((make: (() => Body) | null) => void)[] = [];
  return {
    add: (make) => {
      const taker = takers.shift();
      if (taker === undefined) tasks.push(make);
      else taker(make);
    },
    take: async (call) => {
      let make = tasks.shift() ?? null;
      if (make === null) {
        const { promise, resolve } = Promise.withResolvers<(() => Body) | null>();
        const give = () => resolve(null);
        takers.push(resolve);
        const timer = setTimeout(give, POLL_MS);
        call.on("cancelled", give);
        make = await promise;
        clearTimeout(timer);
        const place = takers.indexOf(resolve);
        if (place >= 0) takers.splice(place, 1);
      }
      return make?.() ?? {};
    },
  };
}

async function changeOf(workflow: Workflow, call?: Call): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  workflow.watchers.add(resolve);
  call?.on("cancelled", () => resolve());
  await promise;
  workflow.watchers.delete(resolve);
}

const executionOf = ({ id, runId }: Workflow): Body => ({ workflowId: id, runId });

function now(): Body {
  const ms = Date.now();
  return { seconds: Math.floor(ms / 1000), nanos: (ms % 1000) * 1e6 };
}
