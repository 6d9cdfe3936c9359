/** Loaded into a service before it starts: its machine's clock is off by as many milliseconds as its parent says. */
const truth = Date.now.bind(Date);
let offBy = 0;
Date.now = () => truth() + offBy;
process.on("message", (ms: number) => {
  offBy = ms;
  process.send?.(ms);
});
// Whoever listens does not keep the service from ending.
process.channel?.unref();
