/** Loaded into a service before it starts: shifts its clock by the milliseconds that the parent process sends. */
const truth = Date.now.bind(Date);
let offBy = 0;
Date.now = () => truth() + offBy;
process.on("message", (ms: number) => {
  offBy = ms;
  process.send?.(ms);
});
// The listener must not keep the process alive.
process.channel?.unref();
