# The classic sets that Debian's r-cran-mlbench, r-cran-mass and r-cran-kernlab carry, as CSV with the
# label last: Rscript sets.R FOLDER. What is not installed is left out.
folder <- commandArgs(TRUE)[1]

put <- function(name, package, data = name, label, drop = character()) {
    if (!requireNamespace(package, quietly = TRUE))
        return(invisible())
    space <- new.env()
    data(list = data, package = package, envir = space)
    frame <- as.data.frame(get(ls(space)[1], space))
    if (exists(data, space))
        frame <- as.data.frame(get(data, space))
    frame <- frame[!is.na(frame[[label]]), ]
    columns <- c(setdiff(names(frame), c(label, drop)), label)
    frame <- frame[, columns]
    names(frame)[length(columns)] <- "label"
    for (column in names(frame))
        if (is.factor(frame[[column]]) || is.character(frame[[column]])) {
            text <- gsub("[^A-Za-z0-9.+-]", "_", as.character(frame[[column]]))
            # levels that look like numbers are categories all the same
            frame[[column]] <- if (column == "label") text else ifelse(is.na(frame[[column]]), NA, paste0("v", text))
        }
    write.csv(frame, file.path(folder, paste0(name, ".csv")), row.names = FALSE, quote = FALSE, na = "")
}

put("dna", "mlbench", "DNA", "Class")
put("glass", "mlbench", "Glass", "Type")
put("votes", "mlbench", "HouseVotes84", "Class")
put("ionosphere", "mlbench", "Ionosphere", "Class")
put("letter", "mlbench", "LetterRecognition", "lettr")
put("satellite", "mlbench", "Satellite", "classes")
put("shuttle", "mlbench", "Shuttle", "Class")
put("soybean", "mlbench", "Soybean", "Class")
put("vehicle", "mlbench", "Vehicle", "Class")
put("vowel", "mlbench", "Vowel", "Class")
put("zoo", "mlbench", "Zoo", "type")
put("breast-w", "mlbench", "BreastCancer", "Class", "Id")
put("pima", "mlbench", "PimaIndiansDiabetes", "diabetes")
put("crabs-sp", "MASS", "crabs", "sp", "index")
put("crabs-sex", "MASS", "crabs", "sex", "index")
put("birthwt", "MASS", "birthwt", "low", "bwt")
put("aids", "MASS", "Aids2", "status", "death")
put("synth", "MASS", "synth.tr", "yc")
put("spam", "kernlab", "spam", "type")
put("musk", "kernlab", "musk", "Class")
put("promoter", "kernlab", "promotergene", "Class")
put("income", "kernlab", "income", "INCOME")
put("tic", "kernlab", "ticdata", "CARAVAN")
