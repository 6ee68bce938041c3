/**
 * The time of a label in local time: `HH:MM` today, `M/D HH:MM` this year, else `YY/M/D HH:MM`
 * (session tree §13.5). Empty for a timestamp that cannot be read.
 */
export function labelTime(timestamp: string | undefined, now: Date): string {
  const time = new Date(timestamp ?? Number.NaN);
  if (Number.isNaN(time.getTime())) return "";
  const clock = `${twoDigits(time.getHours())}:${twoDigits(time.getMinutes())}`;
  const day = `${time.getMonth() + 1}/${time.getDate()}`;
  if (time.getFullYear() !== now.getFullYear()) {
    return `${twoDigits(time.getFullYear() % 100)}/${day} ${clock}`;
  }
  const isToday = time.getMonth() === now.getMonth() && time.getDate() === now.getDate();
  return isToday ? clock : `${day} ${clock}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
