<?php
// Includes a Moodle that is somewhere else; for the scripts beside this one, each in a process of its own.
//
//   php SCRIPT MOODLE ACTION JSON      prints JSON
define('CLI_SCRIPT', true);
[, $moodle, $action, $given] = $argv;
require(realpath($moodle) . '/config.php');
foreach (['data_generator', 'component_generator_base', 'module_generator'] as $part) {
    require_once("$CFG->libdir/testing/generator/$part.php");
}
require_once("$CFG->libdir/gradelib.php");
require_once("$CFG->dirroot/course/lib.php");
require_once("$CFG->dirroot/user/lib.php");
\core\session\manager::set_user(get_admin());
$wanted = json_decode($given, false, 64, JSON_THROW_ON_ERROR);

function make_course(string $name): stdClass {
    global $DB;
    return create_course((object)['shortname' => 'C' . (1 + $DB->count_records('course')), 'fullname' => $name,
        'category' => $DB->get_field_sql('SELECT min(id) FROM {course_categories}'), 'newsitems' => 0]);
}

function add_member(int $course, string $login, string $first, string $last, string $role): int {
    global $CFG;
    $id = user_create_user((object)['username' => $login, 'firstname' => $first, 'lastname' => $last,
        'email' => "$login@example.com", 'password' => 'Student-1234', 'confirmed' => 1, 'auth' => 'manual',
        'mnethostid' => $CFG->mnet_localhost_id], true, false);
    (new testing_data_generator())->enrol_user($id, $course, $role);
    return (int)$id;
}

function answer(array $actions): void {
    global $action, $wanted;
    if (!in_array($action, $actions, true)) {
        throw new Exception("no such action: $action");
    }
    echo "\n", json_encode($action($wanted), JSON_UNESCAPED_UNICODE | JSON_THROW_ON_ERROR), "\n";
}
