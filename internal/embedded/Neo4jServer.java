import java.nio.file.Path;
import org.neo4j.dbms.api.DatabaseManagementService;
import org.neo4j.dbms.api.DatabaseManagementServiceBuilder;
import org.neo4j.graphdb.event.DatabaseEventContext;
import org.neo4j.graphdb.event.DatabaseEventListenerAdapter;

/** Runs the Neo4j server on the folder args[0], as its neo4j.conf says, until SIGTERM, or until a database cannot go on. */
public final class Neo4jServer extends DatabaseEventListenerAdapter {
    public static void main(String[] args) {
        try {
            Path home = Path.of(args[0]);
            DatabaseManagementService service =
                    new DatabaseManagementServiceBuilder(home).loadPropertiesFromFile(home.resolve("neo4j.conf")).build();
            service.registerDatabaseEventListener(new Neo4jServer());
            Runtime.getRuntime().addShutdownHook(new Thread(service::shutdown));
        } catch (Throwable failure) {
            failure.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }

    /** A database that could not write to its disk refuses everything until it is started again, as Kith does with a process that ends. */
    @Override
    public void databasePanic(DatabaseEventContext database) {
        System.err.println("Database " + database.getDatabaseName() + " could not go on. Is the disk full, or read-only? logs/debug.log says more.");
        Runtime.getRuntime().halt(1);
    }
}
