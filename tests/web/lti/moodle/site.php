<?php
// What teachers and administrators do in Moodle, through its own classes, and what its database holds afterwards.
// It is run as boot.php says; see ../moodle_process.py.
//
// make_class {"students": 3}             a course with a teacher and so many students: ids
// add_links {"course": 2, "type": 1, "links": [..]}
//                                        what Moodle's page makes of chosen content becomes activities: ids by name
// activate {"client_id": ".."}           lets a tool in that registered itself; its activities open in a window
// show_marks {"course": 2}               every mark of the course's links, as the gradebook holds it
// override {"link": 7, "user": 5, "grade": 90}
// lock {"link": 7, "user": 5, "locked": true}
// end_override {"link": 7, "user": 5}
// remove {"course": 2, "user": 5}         takes somebody out of the course
require(__DIR__ . '/boot.php');
require_once("$CFG->dirroot/mod/lti/lib.php");
require_once("$CFG->dirroot/mod/lti/locallib.php");

function find_item(int $link): grade_item {
    $item = grade_item::fetch(['itemtype' => 'mod', 'itemmodule' => 'lti', 'iteminstance' => $link, 'itemnumber' => 0]);
    return $item ?: throw new Exception("no column for link $link");
}

function make_class(object $wanted): array {
    $course = make_course('Micrograd 101');
    $short = strtolower($course->shortname);
    $people = ['teacher' => add_member($course->id, "$short-teacher", 'Tess', 'Teacher', 'editingteacher')];
    for ($n = 0; $n < $wanted->students; $n++) {
        $people["s$n"] = add_member($course->id, "$short-s$n", "小$n", "O'Neil <b>", 'student');
    }
    return ['course' => (int)$course->id, 'prefix' => "$short-", 'people' => $people];
}

function add_links(object $wanted): array {
    $made = [];
    foreach ($wanted->links as $link) {
        $values = (array)$link;
        unset($values['introeditor'], $values['urlmatchedtypeid']);
        $values['typeid'] = $wanted->type;  // as the form does in which content is chosen
        $values['grade'] = $values['grade_modgrade_point'] ?? 100;
        // the generator's own key would become the audience of the message
        $values += ['course' => $wanted->course, 'resourcekey' => '', 'password' => '', 'instructorchoicesendname' => 1,
            'instructorchoicesendemailaddr' => 1, 'launchcontainer' => LTI_LAUNCH_CONTAINER_WINDOW];
        $module = (new testing_data_generator())->create_module('lti', $values);
        $made[$link->name] = ['link' => (int)$module->id, 'module' => (int)$module->cmid];
    }
    return $made;
}

function activate(object $wanted): array {
    global $DB;
    $type = $DB->get_record('lti_types', ['clientid' => $wanted->client_id], '*', MUST_EXIST);
    lti_set_state_for_type($type->id, LTI_TOOL_STATE_CONFIGURED);
    return ['type' => (int)$type->id, 'custom' => lti_get_type_config($type->id)['customparameters'] ?? ''];
}

function show_marks(object $wanted): array {
    global $DB;
    $rows = $DB->get_records_sql('SELECT g.*, i.iteminstance AS link, i.grademax FROM {grade_grades} g
        JOIN {grade_items} i ON i.id = g.itemid WHERE i.courseid = ? AND i.itemmodule = ? ORDER BY g.id', [$wanted->course, 'lti']);
    return array_values(array_map(fn($row) => ['link' => (int)$row->link, 'user' => (string)$row->userid,
        'grade' => $row->finalgrade === null ? null : (float)$row->finalgrade, 'maximum' => (float)$row->grademax,
        'raw' => $row->rawgrade === null ? null : (float)$row->rawgrade,
        'comment' => $row->feedback, 'overridden' => $row->overridden > 0, 'locked' => $row->locked > 0], $rows));
}

function override(object $wanted): array {
    find_item($wanted->link)->update_final_grade($wanted->user, $wanted->grade, 'gradebook', 'by hand', FORMAT_HTML);
    return [];
}

function end_override(object $wanted): array {
    $grade = find_item($wanted->link)->get_grade($wanted->user, true);
    $grade->set_overridden(false);
    return [];
}

function lock(object $wanted): array {
    $item = find_item($wanted->link);
    $grade = $item->get_grade($wanted->user, true);
    $grade->grade_item = $item;
    $grade->set_locked((int)$wanted->locked, false, false);
    return [];
}

function remove(object $wanted): array {
    global $DB;
    foreach ($DB->get_records('enrol', ['courseid' => $wanted->course, 'enrol' => 'manual']) as $instance) {
        enrol_get_plugin('manual')->unenrol_user($instance, $wanted->user);
    }
    return [];
}

answer(['make_class', 'add_links', 'activate', 'show_marks', 'override', 'end_override', 'lock', 'remove']);
