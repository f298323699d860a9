// The order of folders. Apart from the other walls, because tests may use everything and are left out here.
const { options } = require('./.dependency-cruiser.cjs');

module.exports = {
  forbidden: [
    {
      name: 'folders-have-an-order',
      comment: 'no folder of the runner or of telemetry needs a folder that needs it: imports point down',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src/(runner|telemetry)' },
      to: { circular: true },
    },
  ],
  options: { ...options, exclude: { path: `${options.exclude.path}|\\.test\\.ts$|^tests/` } },
};
