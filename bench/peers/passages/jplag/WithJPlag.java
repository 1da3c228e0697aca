import de.jplag.JPlag;
import de.jplag.JPlagComparison;
import de.jplag.Language;
import de.jplag.Match;
import de.jplag.Submission;
import de.jplag.Token;
import de.jplag.options.JPlagOptions;
import java.io.File;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Compares the files of a directory by JPlag with its defaults: WithJPlag DIR java|txt.
 *
 * Prints a JSON object for each pair with something in common: the names of both, the mean similarity, which JPlag orders by, and the
 * spans of both in characters. JPlag has no threshold: it shows all pairs in that order.
 */
public class WithJPlag {
    public static void main(String[] args) throws Exception {
        Language language = args[1].equals("java") ? new de.jplag.java.Language() : new de.jplag.text.Language();
        JPlagOptions options = new JPlagOptions(language, Set.of(new File(args[0])), Set.of())
                .withMaximumNumberOfComparisons(JPlagOptions.SHOW_ALL_COMPARISONS);
        for (JPlagComparison c : new JPlag(options).run().getAllComparisons()) {
            if (c.similarity() <= 0) {
                continue;
            }
            System.out.printf("{\"a\": \"%s\", \"b\": \"%s\", \"share\": %s, \"shown\": true, \"spans\": [%s, %s]}%n", c.firstSubmission().getName(),
                    c.secondSubmission().getName(), c.similarity(), spans(c, true), spans(c, false));
        }
    }

    static String spans(JPlagComparison c, boolean first) throws Exception {
        Submission of = first ? c.firstSubmission() : c.secondSubmission();
        List<Token> tokens = of.getTokenList();
        int[] starts = starts(tokens.get(0).getFile());
        List<String> all = new ArrayList<>();
        for (Match m : c.matches()) {
            int from = first ? m.startOfFirst() : m.startOfSecond();
            Token begin = tokens.get(from), last = tokens.get(from + m.length() - 1);
            all.add("[" + at(starts, begin) + ", " + (at(starts, last) + Math.max(0, last.getLength())) + "]");
        }
        return all.toString();
    }

    static int at(int[] starts, Token t) {
        return starts[Math.max(0, Math.min(t.getLine(), starts.length) - 1)] + Math.max(0, t.getColumn() - 1);
    }

    static int[] starts(File file) throws Exception {
        String[] lines = Files.readString(file.toPath()).split("\n", -1);
        int[] starts = new int[lines.length];
        for (int i = 1; i < lines.length; i++) {
            starts[i] = starts[i - 1] + lines[i - 1].length() + 1;
        }
        return starts;
    }
}
