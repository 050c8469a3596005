# The dashboard for production: `docker build -t directory-dashboard .`
# docs/deploy.md says how to run it. The same image runs the commands, such as `work`.

FROM node:22-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --include=dev --ignore-scripts --no-audit --no-fund
COPY vite.config.ts remix.config.js tsconfig.json ./
COPY app ./app
COPY public ./public
COPY local ./local
COPY scripts ./scripts
RUN npm run build

FROM node:22-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:22-slim
# A blank HOST in an --env-file takes precedence over this one: see docs/deploy.md.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/build ./build
COPY package.json ./
COPY scripts/*.mjs ./scripts/
COPY local/keys.mjs local/running.mjs local/lock.mjs local/disk-problem.mjs ./local/
USER node
EXPOSE 3000
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "scripts/start.mjs"]
