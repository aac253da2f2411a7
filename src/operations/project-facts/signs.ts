/** By what one knows that a project uses something, and the words by which servers for it are found. */

/** Something a project may use. */
export interface Sign {
  readonly name: string;
  readonly is: 'framework' | 'service';
  /** Packages, exactly, or all under a prefix that ends in `*`. */
  readonly packages?: readonly string[];
  /** Images, by the last part of their name. */
  readonly images?: readonly string[];
  /** How names of variables begin. */
  readonly variables?: readonly string[];
  readonly files?: RegExp;
  /** What servers for it are called, the best first; a README or pipeline may name it so too. */
  readonly words: readonly string[];
  /** True when its word is one of everyday speech, so that being mentioned means nothing. */
  readonly everyday?: true;
}

const framework = (name: string, packages: readonly string[], more: Partial<Sign> = {}): Sign => ({
  name,
  is: 'framework',
  packages,
  words: [],
  ...more,
});

const service = (name: string, words: readonly string[], more: Partial<Sign> = {}): Sign => ({
  name,
  is: 'service',
  words,
  ...more,
});

/** Every sign, in the order they are told. */
export const SIGNS: readonly Sign[] = [
  framework('Next.js', ['next'], { words: ['nextjs', 'next-devtools'] }),
  framework('React', ['react']),
  framework('React Native', ['react-native', 'expo'], { words: ['expo'] }),
  framework('Vue', ['vue']),
  framework('Nuxt', ['nuxt'], { words: ['nuxt'] }),
  framework('Svelte', ['svelte'], { words: ['svelte'] }),
  framework('Angular', ['@angular/core'], { words: ['angular'] }),
  framework('Astro', ['astro'], { words: ['astro'] }),
  framework('Vite', ['vite']),
  framework('Tailwind CSS', ['tailwindcss'], { words: ['tailwindcss', 'tailwind'] }),
  framework('Express', ['express']),
  framework('Fastify', ['fastify']),
  framework('Hono', ['hono']),
  framework('NestJS', ['@nestjs/core']),
  framework('Electron', ['electron']),
  framework('Model Context Protocol', ['@modelcontextprotocol/*', 'mcp', 'fastmcp']),
  framework('Storybook', ['storybook', '@storybook/*'], { words: ['storybook'] }),
  framework('Django', ['django'], { words: ['django'] }),
  framework('Flask', ['flask']),
  framework('FastAPI', ['fastapi']),
  framework('pandas', ['pandas']),
  framework('PyTorch', ['torch']),
  framework('Jupyter', ['jupyter', 'jupyterlab', 'notebook', 'ipykernel'], {
    words: ['jupyter'],
    files: /\.ipynb$/,
  }),
  framework('Rails', ['rails'], { words: ['rails'] }),
  framework('Laravel', ['laravel/framework'], { words: ['laravel'] }),
  framework('Spring Boot', ['spring-boot-starter*'], { words: ['spring'] }),
  framework('Gin', ['github.com/gin-gonic/gin']),
  framework('Axum', ['axum']),
  framework('Actix', ['actix-web']),
  service('GitHub', ['github'], {
    files: /^\.github\//,
    variables: ['GITHUB_', 'GH_'],
    packages: ['@octokit/*', 'octokit'],
  }),
  service('GitLab', ['gitlab'], { files: /^\.gitlab-ci\.yml$/, variables: ['GITLAB_'] }),
  service('PostgreSQL', ['postgres', 'postgresql'], {
    packages: [
      'pg',
      'postgres',
      'psycopg',
      'psycopg2',
      'psycopg2-binary',
      'asyncpg',
      'github.com/jackc/pgx*',
      'github.com/lib/pq',
      'tokio-postgres',
      'postgresql',
    ],
    images: ['postgres', 'postgis', 'timescaledb', 'pgvector'],
    variables: ['POSTGRES_', 'PGHOST', 'PGUSER', 'PGDATABASE'],
  }),
  service('MySQL', ['mysql', 'mariadb'], {
    packages: [
      'mysql',
      'mysql2',
      'pymysql',
      'mysqlclient',
      'github.com/go-sql-driver/mysql',
      'mysql-connector-j',
    ],
    images: ['mysql', 'mariadb'],
    variables: ['MYSQL_'],
  }),
  service('SQLite', ['sqlite'], {
    packages: [
      'better-sqlite3',
      'sqlite3',
      'libsql*',
      '@libsql/client',
      'rusqlite',
      'github.com/mattn/go-sqlite3',
      'aiosqlite',
    ],
    files: /\.sqlite3?$/,
  }),
  service('MongoDB', ['mongodb', 'mongo'], {
    packages: ['mongodb', 'mongoose', 'pymongo', 'motor', 'go.mongodb.org/mongo-driver*'],
    images: ['mongo'],
    variables: ['MONGO'],
  }),
  service('Redis', ['redis'], {
    packages: ['redis', 'ioredis', 'github.com/redis/go-redis*', 'bullmq'],
    images: ['redis', 'valkey'],
    variables: ['REDIS_'],
  }),
  service('Elasticsearch', ['elasticsearch', 'opensearch'], {
    packages: ['@elastic/elasticsearch', 'elasticsearch'],
    images: ['elasticsearch', 'opensearch'],
    variables: ['ELASTIC'],
  }),
  service('Qdrant', ['qdrant'], {
    packages: ['@qdrant/js-client-rest', 'qdrant-client'],
    images: ['qdrant'],
    variables: ['QDRANT_'],
  }),
  service('Neo4j', ['neo4j'], {
    packages: ['neo4j-driver', 'neo4j'],
    images: ['neo4j'],
    variables: ['NEO4J_'],
  }),
  service('ClickHouse', ['clickhouse'], {
    packages: ['@clickhouse/client', 'clickhouse-connect'],
    images: ['clickhouse-server'],
    variables: ['CLICKHOUSE_'],
  }),
  service('Snowflake', ['snowflake'], {
    packages: ['snowflake-sdk', 'snowflake-connector-python'],
    variables: ['SNOWFLAKE_'],
  }),
  service('BigQuery', ['bigquery'], { packages: ['@google-cloud/bigquery', 'google-cloud-bigquery'] }),
  service('Kafka', ['kafka'], {
    packages: ['kafkajs', 'confluent-kafka', 'github.com/segmentio/kafka-go'],
    images: ['kafka', 'cp-kafka'],
    variables: ['KAFKA_'],
  }),
  service('RabbitMQ', ['rabbitmq'], {
    packages: ['amqplib', 'pika'],
    images: ['rabbitmq'],
    variables: ['RABBITMQ_', 'AMQP_'],
  }),
  service('Docker', ['docker'], { files: /(^|\/)(Dockerfile[\w.-]*|(docker-)?compose[\w.-]*\.ya?ml)$/ }),
  service('Kubernetes', ['kubernetes', 'k8s'], {
    files: /(^|\/)(kustomization\.ya?ml|Chart\.yaml)$/,
    packages: ['@kubernetes/client-node', 'k8s.io/client-go', 'kubernetes'],
  }),
  service('Terraform', ['terraform'], { files: /\.tf$/ }),
  service('AWS', ['aws'], {
    packages: ['@aws-sdk/*', 'aws-sdk', 'boto3', 'aws-cdk-lib', 'github.com/aws/aws-sdk-go*'],
    variables: ['AWS_'],
  }),
  service('Google Cloud', ['gcloud', 'google-cloud'], {
    packages: ['@google-cloud/*'],
    variables: ['GOOGLE_CLOUD_', 'GCP_'],
  }),
  service('Azure', ['azure'], { packages: ['@azure/*'], variables: ['AZURE_'] }),
  service('Cloudflare', ['cloudflare'], {
    packages: ['wrangler'],
    files: /(^|\/)wrangler\.(toml|jsonc?)$/,
    variables: ['CLOUDFLARE_', 'CF_'],
  }),
  service('Vercel', ['vercel'], {
    packages: ['vercel', '@vercel/*'],
    files: /^vercel\.json$/,
    variables: ['VERCEL_'],
  }),
  service('Netlify', ['netlify'], { files: /^netlify\.toml$/, variables: ['NETLIFY_'] }),
  service('Supabase', ['supabase'], {
    packages: ['@supabase/*', 'supabase'],
    files: /^supabase\//,
    variables: ['SUPABASE_', 'NEXT_PUBLIC_SUPABASE_'],
  }),
  service('Firebase', ['firebase'], {
    packages: ['firebase', 'firebase-admin'],
    files: /^firebase\.json$/,
    variables: ['FIREBASE_'],
  }),
  service('Stripe', ['stripe'], { packages: ['stripe', '@stripe/*'], variables: ['STRIPE_'] }),
  service('Sentry', ['sentry'], {
    packages: ['@sentry/*', 'sentry-sdk', 'github.com/getsentry/sentry-go'],
    variables: ['SENTRY_'],
  }),
  service('Slack', ['slack'], { packages: ['@slack/*', 'slack-sdk', 'slack-bolt'], variables: ['SLACK_'] }),
  service('Linear', ['linear'], { packages: ['@linear/sdk'], variables: ['LINEAR_'], everyday: true }),
  service('Jira', ['jira', 'atlassian'], { variables: ['JIRA_', 'ATLASSIAN_'] }),
  service('Notion', ['notion'], {
    everyday: true,
    packages: ['@notionhq/client', 'notion-client'],
    variables: ['NOTION_'],
  }),
  service('Figma', ['figma'], { variables: ['FIGMA_'] }),
  service('Twilio', ['twilio'], { packages: ['twilio'], variables: ['TWILIO_'] }),
  service('Grafana', ['grafana'], { images: ['grafana'], variables: ['GRAFANA_'] }),
  service('Prometheus', ['prometheus'], {
    images: ['prometheus'],
    packages: ['prom-client', 'prometheus-client'],
  }),
  service('Playwright', ['playwright'], {
    packages: ['playwright', '@playwright/test', 'playwright-core'],
    files: /(^|\/)playwright\.config\.\w+$/,
  }),
  service('Puppeteer', ['puppeteer'], { packages: ['puppeteer', 'puppeteer-core'] }),
  service('OpenAI', ['openai'], { packages: ['openai', '@openai/*'], variables: ['OPENAI_'] }),
  service('Hugging Face', ['huggingface', 'hugging-face'], {
    packages: ['transformers', 'huggingface-hub', '@huggingface/*'],
    variables: ['HF_', 'HUGGINGFACE_'],
  }),
];
