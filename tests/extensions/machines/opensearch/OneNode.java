/* What is an OpenSearch node at its smallest? Netty's HTTP, the analysis of words, and a folder: one node, one process.

   Arguments: its number, how many there are, a folder, the HTTP port of the first, the transport port of the first.
   It ends with its starter: when its standard input closes. (OpenSearch, "Creating a cluster".) */

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.codelibs.opensearch.runner.node.OpenSearchRunnerNode;
import org.opensearch.analysis.common.CommonAnalysisPlugin;
import org.opensearch.common.settings.Settings;
import org.opensearch.index.mapper.MapperExtrasPlugin;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.painless.PainlessPlugin;
import org.opensearch.index.reindex.ReindexPlugin;
import org.opensearch.transport.Netty4Plugin;

public class OneNode {
  public static void main(String[] words) throws Exception {
    int number = Integer.parseInt(words[0]), nodes = Integer.parseInt(words[1]);
    int http = Integer.parseInt(words[3]), transport = Integer.parseInt(words[4]);
    Path home = Path.of(words[2], "node-" + number);
    List<String> seeds = IntStream.range(0, nodes).mapToObj(n -> "127.0.0.1:" + (transport + n)).collect(Collectors.toList());
    List<String> names = IntStream.rangeClosed(1, nodes).mapToObj(n -> "node-" + n).collect(Collectors.toList());
    Settings settings = Settings.builder()
        .put("cluster.name", "breadcrumb-tests")
        .put("node.name", "node-" + number)
        .put("path.home", home.toString())
        .put("path.data", home.resolve("data").toString())
        .put("path.logs", home.resolve("logs").toString())
        .put("path.repo", Path.of(words[2], "snapshots").toString())
        .put("network.host", "127.0.0.1")
        .put("http.port", http + number - 1)
        .put("transport.port", transport + number - 1)
        .putList("discovery.seed_hosts", seeds)
        .putList("cluster.initial_cluster_manager_nodes", names)
        .put("cluster.routing.allocation.disk.threshold_enabled", false)
        .put("indices.breaker.total.use_real_memory", false) // what is not collected yet is no reason to refuse
        .put("bootstrap.system_call_filter", false)
        .build();
    OpenSearchRunnerNode node = new OpenSearchRunnerNode(
        InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), null, () -> "node"),
        List.of(Netty4Plugin.class, CommonAnalysisPlugin.class, MapperExtrasPlugin.class, PainlessPlugin.class, ReindexPlugin.class));
    node.start();
    System.out.println("UP");
    while (System.in.read() >= 0) { }
    node.close();
    System.exit(0);
  }
}
