/**
 * Makes every generated file from the one truth behind it. With --check nothing is written; a stale file fails.
 */
import './gen-migrations.ts';
import './gen-additions.ts';
import './gen-job-rows.ts';
import './gen-schema.ts';
import './gen-workflow-files.ts';
import './gen-errors.ts';
import './gen-causes.ts';
import './gen-routes.ts';
import './gen-calls.ts';
import './gen-openapi.ts';
import './gen-library.ts';
import './gen-cli.ts';
import './gen-config.ts';
import './gen-libatomic.ts';
import './gen-sonar-format.ts';
import './gen-rooms.ts';
