const THEME = 'torc page theme';
const THEMES = ['light dark', 'dark', 'light'] as const;

/** The colours that a user chose, in place of those of the system. */
export function showTheme(): void {
  document.documentElement.style.colorScheme = localStorage.getItem(THEME) ?? '';
}

export function nextTheme(): void {
  const before = localStorage.getItem(THEME);
  const next = THEMES[(THEMES.findIndex((each) => each === before) + (before === null ? 2 : 1)) % THEMES.length];
  if (next === undefined || next === 'light dark') localStorage.removeItem(THEME);
  else localStorage.setItem(THEME, next);
  showTheme();
}
