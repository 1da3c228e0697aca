// Compares the files of a directory by Dolos with its defaults: node with_dolos.js DIR.
//
// Prints a JSON object for each pair with something in common: the names of both, the similarity, and the spans of both in characters.
// Dolos has no threshold: it shows all pairs in the order of their similarity.
import {readdirSync, readFileSync} from "node:fs";
import {basename, join} from "node:path";
import {Dolos} from "@dodona/dolos-lib";

const directory = process.argv[2];
const paths = readdirSync(directory).sort().map((name) => join(directory, name));
const starts = new Map(paths.map((path) => {
  const list = [0];
  for (const line of readFileSync(path, "utf8").split("\n")) list.push(list.at(-1) + line.length + 1);
  return [path, list];
}));
const at = (file, row, column) => starts.get(file.path)[row] + column;
const report = await new Dolos().analyzePaths(paths);
for (const pair of report.allPairs()) {
  if (pair.similarity <= 0) continue;
  const spans = [[], []];
  for (const f of pair.buildFragments()) {
    for (const [side, file, s] of [[0, pair.leftFile, f.leftSelection], [1, pair.rightFile, f.rightSelection]]) {
      spans[side].push([at(file, s.startRow, s.startCol), at(file, s.endRow, s.endCol)]);
    }
  }
  console.log(JSON.stringify({a: basename(pair.leftFile.path), b: basename(pair.rightFile.path), share: pair.similarity, shown: true, spans}));
}
