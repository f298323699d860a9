/** Variables of every recipe, whatever the makefile exports. */
export const isOfMake = (name: string): boolean =>
  /^(?:MAKE.*|MFLAGS|GNUMAKEFLAGS|PWD|OLDPWD|SHLVL|_|IFS|\.torc.*)$/.test(name);

/** Other names, such as those of functions of bash, make takes away, too, and bash cannot. */
export const isUnsettable = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name) && !isOfMake(name);
