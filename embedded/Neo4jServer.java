import java.nio.file.Path;
import org.neo4j.dbms.api.DatabaseManagementService;
import org.neo4j.dbms.api.DatabaseManagementServiceBuilder;

/** Runs the Neo4j server on the folder args[0], as its neo4j.conf says, until SIGTERM. */
public final class Neo4jServer {
    public static void main(String[] args) {
        try {
            Path home = Path.of(args[0]);
            DatabaseManagementService service =
                    new DatabaseManagementServiceBuilder(home).loadPropertiesFromFile(home.resolve("neo4j.conf")).build();
            Runtime.getRuntime().addShutdownHook(new Thread(service::shutdown));
        } catch (Throwable failure) {
            failure.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }
}
