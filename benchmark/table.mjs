/** The results of one case as a table in Markdown. */
export function table(rows) {
  const lines = rows.map(({ name, ms, ratio, least, most, mib }) => {
    const spread = `${least.toFixed(2)}–${most.toFixed(2)}`;
    const cell = name.replaceAll('|', '\\|');
    return `| ${cell} | ${ms.toFixed(1)} | ${ratio.toFixed(2)} | ${spread} | ${mib?.toFixed(1) ?? ''} |\n`;
  });
  return `| | ms | ratio | from–to | MiB |\n| --- | ---: | ---: | ---: | ---: |\n${lines.join('')}`;
}
