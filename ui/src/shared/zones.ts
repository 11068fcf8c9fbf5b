// Time zones to choose from.

/** The one of this machine. */
export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** All that this machine knows, its own among them. */
export const zones = (): string[] => [...new Set([ownZone(), ...Intl.supportedValuesOf("timeZone")])].sort();

/** A zone as people read it. */
export const zoneName = (zone: string): string => zone.replaceAll("_", " ");
