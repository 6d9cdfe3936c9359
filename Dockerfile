# The service as an image; docs/operating.md says how to run it. In it is what `npm pack` makes, and beside that the packages
# that it runs with, in the versions of the lock file: its own, and those with which verifiers ask their vendors.

FROM node:24-slim AS package
WORKDIR /build
COPY . .
RUN npm ci --workspace web --include-workspace-root --ignore-scripts
RUN npm pack --silent && mkdir /app && tar -xzf human-task-service-*.tgz -C /app --strip-components=1

FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --workspaces=false --ignore-scripts && \
  npm install --no-save --save-prod --omit=dev --workspaces=false --ignore-scripts \
    $(node -p "const { peerDependencies, devDependencies } = require('./package.json'); \
      Object.keys(peerDependencies).map((name) => name + '@' + devDependencies[name]).join(' ')")

FROM node:24-slim
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=package /app ./
# What people type in the container, and the one folder that it writes to beside /tmp.
RUN chmod 755 dist/src/cli.js && ln -s /app/dist/src/cli.js /usr/local/bin/human-task-service && \
  install -d -o 1000 -g 1000 -m 700 /data
ENV NODE_ENV=production SERVICE_HOST=0.0.0.0 SERVICE_PORT=3000 SERVICE_DATA_DIR=/data SERVICE_DISCOVERY_FILE=0
VOLUME /data
EXPOSE 3000
USER 1000:1000
# Whether the process answers. One whose database is away is not helped by being started again; /api/health tells of that.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.SERVICE_PORT}/api/health?live=1`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Node itself is the first process, so that a signal reaches it. An orderly stop takes 30 seconds at most.
# docs/operating.md, Memory, says what the option does.
ENTRYPOINT ["node", "--max-semi-space-size=16", "/app/dist/src/cli.js"]
CMD ["start"]
