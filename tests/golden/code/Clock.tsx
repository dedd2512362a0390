import React, { useEffect, useState } from "react";

type Props = { zone: string; label?: string };

/** Shows the time in a zone, once a second. */
export function Clock({ zone, label }: Props) {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 1000);
    return () => clearInterval(timer);
  }, []);
  return (
    <figure className="clock">
      <time dateTime={now.toISOString()}>{now.toLocaleTimeString("en", { timeZone: zone })}</time>
      <figcaption>{label ?? zone}</figcaption>
    </figure>
  );
}

export const World = ({ zones }: { zones: string[] }) => (
  <section>
    {zones.map((zone) => (
      <Clock key={zone} zone={zone} />
    ))}
  </section>
);
